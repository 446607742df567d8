# Debian's MariaDB and Galera, laid out as the image `mariadb` is.
FROM stand-in/debian
ADD mariadb.tar /
COPY mariadb-entrypoint.sh mariadb-healthcheck.sh /usr/local/bin/
RUN groupadd --system mysql && useradd --system --gid mysql --home-dir /var/lib/mysql mysql \
 && ln -s mariadb-healthcheck.sh /usr/local/bin/healthcheck.sh \
 && ln -s mariadb.cnf /etc/mysql/my.cnf \
 && sed -Ei 's/^(bind-address|user|pid-file)/#&/' /etc/mysql/mariadb.conf.d/*.cnf \
 && printf '[mariadb]\nhost-cache-size=0\nskip-name-resolve\n' > /etc/mysql/mariadb.conf.d/05-skipcache.cnf \
 && install -d -o mysql -g mysql /var/lib/mysql && install -d -m 1777 /run/mysqld
VOLUME /var/lib/mysql
EXPOSE 3306
ENTRYPOINT ["mariadb-entrypoint.sh"]
CMD ["mariadbd"]
