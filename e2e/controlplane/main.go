// Command controlplane is a whole Kubernetes control plane in one program: the first argument says which part of it to be.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// parts are the programs that this one can be, each with an entry that never returns or returns an exit code. All but kubectl run until
// their standard input ends.
var parts = map[string]func() int{
	"etcd": func() int {
		etcdmain.Main(os.Args)
		return 0
	},
	"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
	"kube-controller-manager": func() int { return cli.Run(controllers.NewControllerManagerCommand()) },
	"kube-scheduler":          func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
	"kubectl": func() int {
		if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
			util.CheckErr(err)
		}
		return 0
	},
}

func main() {
	// A link with the name of a part is that part, so that kubectl can be put on a PATH.
	name := filepath.Base(os.Args[0])
	if _, known := parts[name]; !known && len(os.Args) > 1 {
		name = os.Args[1]
		os.Args = append([]string{name}, os.Args[2:]...)
	}
	part, known := parts[name]
	if !known {
		names := make([]string, 0, len(parts))
		for name := range parts {
			names = append(names, name)
		}
		sort.Strings(names)
		fmt.Fprintf(os.Stderr, "the first argument has to be one of %s\n", strings.Join(names, ", "))
		os.Exit(2)
	}
	if name != "kubectl" {
		go endWithInput()
	}
	os.Exit(part())
}

// endWithInput ends the program when whoever started it is gone.
func endWithInput() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(1)
}
