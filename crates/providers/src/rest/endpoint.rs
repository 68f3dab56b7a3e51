//! Where a service is.

use std::{
    env, fmt,
    net::IpAddr,
    path::{Path, PathBuf},
};

use reqwest::Url;

/// The address of a service: a URL, or a socket of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// What paths are added to; of a socket, a URL whose host says nothing.
    base: Url,
    socket: Option<PathBuf>,
}

/// The host that is named to a service behind a socket.
const NO_HOST: &str = "http://localhost/";

// === impl Endpoint ===

impl Endpoint {
    /// `http://…`, `https://…`, `unix://…`, or a path that begins with `/`, `./`, `../`, `~/` or ends with `.sock`. The error says
    /// what is wrong in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_path = ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start));
        let path = text.strip_prefix("unix://").or_else(|| {
            let is_socket =
                Path::new(text).extension().is_some_and(|extension| extension == "sock");
            (is_path || (is_socket && !text.contains("://"))).then_some(text)
        });
        if let Some(path) = path {
            return Self::socket(path);
        }
        let base = Url::parse(text)
            .map_err(|error| format!("is neither a URL nor the path of a socket: {error}"))?;
        if !matches!(base.scheme(), "http" | "https") {
            let scheme = base.scheme();
            return Err(format!("begins with {scheme}: where http, https or unix is understood"));
        }
        if base.host_str().is_none_or(str::is_empty) {
            return Err("names no host".to_owned());
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err("has a user or a password in it, which would be shown".to_owned());
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err("ends with parameters; paths are added to it".to_owned());
        }
        Ok(Self { base, socket: None })
    }

    fn socket(path: &str) -> Result<Self, String> {
        if path.is_empty() {
            return Err("names no socket".to_owned());
        }
        let socket = match path.strip_prefix("~/") {
            Some(rest) => {
                let home = env::home_dir().ok_or("is in a home directory, and there is none")?;
                home.join(rest)
            }
            None => PathBuf::from(path),
        };
        let base = Url::parse(NO_HOST).map_err(|error| error.to_string())?;
        Ok(Self { base, socket: Some(socket) })
    }

    /// The socket of this machine, when it is one.
    pub fn socket_path(&self) -> Option<&Path> {
        self.socket.as_deref()
    }

    /// The host that it names; `None` for a socket of this machine.
    pub fn host(&self) -> Option<&str> {
        if self.socket.is_some() { None } else { self.base.host_str() }
    }

    /// Whether certificates are checked.
    pub fn is_https(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// Whether what is sent to it crosses a network unencrypted: `http` to a host that is not this machine.
    pub fn is_exposed(&self) -> bool {
        let Some(host) = self.host() else { return false };
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let is_local = address.is_ok_and(|address| address.is_loopback())
            || host.eq_ignore_ascii_case("localhost");
        !self.is_https() && !is_local
    }

    /// The URL of a path with its parameters.
    pub(super) fn url(
        &self,
        path: &[String],
        query: &[(&'static str, String)],
    ) -> Result<Url, String> {
        // These would be taken for directions, not for names.
        if path.iter().any(|part| part == "." || part == ".." || part.is_empty()) {
            return Err("a part of the path is empty or made of dots".to_owned());
        }
        let mut url = self.base.clone();
        url.path_segments_mut()
            .map_err(|()| "the address takes no paths".to_owned())?
            .pop_if_empty()
            .extend(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.socket {
            Some(path) => write!(f, "{}", path.display()),
            None => f.write_str(self.base.as_str().trim_end_matches('/')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Endpoint;

    #[test]
    fn what_stays_on_this_machine_or_is_encrypted_is_not_exposed() {
        let exposed = |text: &str| Endpoint::parse(text).unwrap().is_exposed();
        for safe in [
            "https://slicer.example",
            "http://127.0.0.1:8080",
            "http://127.8.9.10",
            "http://[::1]:8080",
            "http://localhost:8080",
            "http://LocalHost",
            "unix:///run/slicer.sock",
            "/run/slicer.sock",
        ] {
            assert!(!exposed(safe), "{safe}");
        }
        for open in [
            "http://slicer.example",
            "http://192.168.137.1:8080",
            "http://0.0.0.0:8080",
            "http://[2001:db8::1]:8080",
            "http://localhost.example",
            "http://128.0.0.1",
        ] {
            assert!(exposed(open), "{open}");
        }
    }
}
