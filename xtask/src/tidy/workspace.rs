//! What the rules look at: crates, what they use, and the text of files.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// The whole tree, as far as a rule may ask about it.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    /// Where the tree is. No rule reads it; running cargo needs it.
    pub root: PathBuf,
    /// The workspace's own crates.
    pub members: Vec<Member>,
    /// Own and foreign packages as cargo resolved them.
    pub graph: Graph,
    /// What the program is built of when default features are off.
    pub shipped: Vec<Shipped>,
    /// Every Rust file, and the Markdown files at the root and in `docs`.
    pub files: Vec<SourceFile>,
}

/// A crate of the workspace.
#[derive(Debug, Clone, Default)]
pub struct Member {
    /// The package's name.
    pub name: String,
    /// Its key in the [`Graph`].
    pub id: String,
    /// Its directory relative to the root, with forward slashes.
    pub directory: String,
    /// The name of its library as `Doc-tests` prints it, if it has one.
    pub library: Option<String>,
    /// The packages its manifest names: for the code, for build scripts and for tests alike, since
    /// a test that points upwards ties crates together as much as code does.
    pub uses: BTreeSet<String>,
}

/// Packages by id. Two versions of one package have one name and two ids.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// Every package that cargo resolved.
    pub packages: BTreeMap<String, Package>,
}

/// A resolved package. What only its tests use is left out: no rule follows it.
#[derive(Debug, Clone, Default)]
pub struct Package {
    /// The name without the version.
    pub name: String,
    /// Ids of what is linked into it.
    pub normal: Vec<String>,
    /// Ids of what its build script uses.
    pub build: Vec<String>,
}

/// A package that is linked into the program that is shipped. Its features are those of that build, which those of the [`Graph`] are not:
/// there, tests have their say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shipped {
    /// The name without the version.
    pub name: String,
    /// The features that it is built with.
    pub features: BTreeSet<String>,
}

/// A file and its text.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Relative to the root, with forward slashes.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// Which edges of the [`Graph`] a walk takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follow {
    /// Only what ends up in the program.
    Normal,
    /// What a build has to compile, build scripts included.
    NormalAndBuild,
}

// === impl Workspace ===

impl Workspace {
    /// The text of the file at `path`.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// The Rust files.
    pub(crate) fn rust_files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| Path::new(&file.path).extension() == Some("rs".as_ref()))
    }
}

// === impl Graph ===

impl Graph {
    /// Names along a shortest way from one of the `starts` to a package called `goal`, both ends
    /// included. Breadth first, so that the message shows the link that is easiest to cut.
    pub(crate) fn path<'a>(
        &'a self,
        starts: impl IntoIterator<Item = &'a str>,
        goal: &str,
        follow: Follow,
    ) -> Option<Vec<&'a str>> {
        let mut came_from: BTreeMap<&str, Option<&str>> = BTreeMap::new();
        let mut queue = VecDeque::new();
        for start in starts {
            came_from.insert(start, None);
            queue.push_back(start);
        }
        while let Some(id) = queue.pop_front() {
            let Some(package) = self.packages.get(id) else {
                continue;
            };
            if package.name == goal {
                return Some(self.names_back_from(id, &came_from));
            }
            for next in package.links(follow) {
                if !came_from.contains_key(next) {
                    came_from.insert(next, Some(id));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Whether the package `id` itself links one called `name`, or its build script does.
    pub(crate) fn links_directly(&self, id: &str, name: &str) -> bool {
        let links = self.packages.get(id).into_iter();
        let mut linked = links.flat_map(|package| package.links(Follow::NormalAndBuild));
        linked.any(|id| self.packages.get(id).is_some_and(|package| package.name == name))
    }

    fn names_back_from<'a>(
        &'a self,
        last: &'a str,
        came_from: &BTreeMap<&'a str, Option<&'a str>>,
    ) -> Vec<&'a str> {
        let mut names = Vec::new();
        let mut at = Some(last);
        while let Some(id) = at {
            names.extend(self.packages.get(id).map(|package| package.name.as_str()));
            at = came_from.get(id).copied().flatten();
        }
        names.reverse();
        names
    }
}

// === impl Package ===

impl Package {
    fn links(&self, follow: Follow) -> impl Iterator<Item = &str> {
        let build = match follow {
            Follow::Normal => [].as_slice(),
            Follow::NormalAndBuild => self.build.as_slice(),
        };
        self.normal.iter().chain(build).map(String::as_str)
    }
}
