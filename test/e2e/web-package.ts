interface Host {
  exec(script: string, args?: readonly string[]): Promise<string>;
}

/** The port of the service that the package brings. */
export const WEB_PORT = 8_081;

/**
 * Offers version "$1" of a package with a service that systemd runs, beside those offered before. If "$2" is `broken`, the
 * service fails when it is started.
 */
const PUBLISH = `mkdir -p /srv/web && cd /srv/web
build() {
  rm -rf new && mkdir -p new/DEBIAN new/lib/systemd/system new/etc new/usr/lib/demo-web
  printf '%s\\n' 'Package: demo-web' "Version: $1" 'Architecture: all' 'Maintainer: Demo <demo@fleet>' 'Description: a service' >new/DEBIAN/control
  echo "version=$1" >new/etc/demo-web.conf
  cat >new/usr/lib/demo-web/serve.py <<'END'
import socket
server = socket.create_server(("0.0.0.0", ${WEB_PORT}))
while True:
    client = server.accept()[0]
    client.settimeout(5)
    try:
        asked = b""
        # bash sends a request line by line, and a close before its end would reset the connection.
        while b"\\r\\n\\r\\n" not in asked:
            part = client.recv(4096)
            if not part:
                break
            asked += part
        else:
            client.sendall(b"HTTP/1.0 200 OK\\r\\n\\r\\ndemo-web")
    except OSError:
        pass
    client.close()
END
  program='/usr/bin/python3 /usr/lib/demo-web/serve.py'
  if [ "$2" = broken ]; then program=/bin/false; fi
  printf '%s\\n' '[Service]' "ExecStart=$program" >new/lib/systemd/system/demo-web.service
  printf '%s\\n' '#!/bin/sh' 'systemctl daemon-reload' 'systemctl reset-failed demo-web 2>/dev/null' 'systemctl restart demo-web || :' >new/DEBIAN/postinst
  chmod 755 new/DEBIAN/postinst
  dpkg-deb -Zgzip --root-owner-group -b new "demo-web_$1_all.deb" >&2
}
build "$1" "$2"
for file in *.deb; do
  dpkg-deb -f "$file"
  echo "Filename: ./$file"
  echo "Size: $(stat -c %s "$file")"
  echo "SHA256: $(sha256sum "$file" | cut -d' ' -f1)"
  echo
done >Packages
printf '%s\\n' 'Origin: Demo' "Date: $(date -Ru)" 'SHA256:' " $(sha256sum Packages | cut -d' ' -f1) $(stat -c %s Packages) Packages" >Release
echo 'deb [trusted=yes] file:/srv/web ./' >/etc/apt/sources.list.d/web.list`;

const ANSWERS = `for try in $(seq 30); do
  python3 -c "import socket; s = socket.create_connection(('127.0.0.1', ${WEB_PORT}), 5); s.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n'); exit(b'200' not in s.recv(4096))" && exit
  sleep 1
done
exit 1`;

/** A package with a service, on a host with systemd. */
export class WebPackage {
  readonly #host: () => Host;

  constructor(host: () => Host) {
    this.#host = host;
  }

  /** Its service answers afterwards: systemd does not wait for that. */
  async install(version: string): Promise<void> {
    await this.publish(version);
    await this.#host().exec('apt-get -q update >&2 && apt-get -q -y install demo-web >&2');
    await this.#host().exec(ANSWERS);
  }

  async publish(version: string, state: 'working' | 'broken' = 'working'): Promise<void> {
    await this.#host().exec(PUBLISH, [version, state]);
  }

  version(): Promise<string> {
    return this.#host().exec("dpkg-query -W -f '${Version}' demo-web");
  }

  async works(): Promise<boolean> {
    const script = `systemctl is-active --quiet demo-web && python3 -c "import socket; socket.create_connection(('127.0.0.1', ${WEB_PORT}))" && echo yes || echo no`;
    return (await this.#host().exec(script)).trim() === 'yes';
  }
}
