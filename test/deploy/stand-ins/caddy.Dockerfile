# Debian's Caddy, laid out as the image `caddy` is.
FROM stand-in/debian
COPY caddy /usr/bin/caddy
RUN mkdir -p /config/caddy /data/caddy /etc/caddy
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
WORKDIR /srv
EXPOSE 80 443 443/udp 2019
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
