# This machine's Node, laid out as the image `node` is. The packages of npm's registry lie in it: `npm ci` takes them
# from there.
FROM stand-in/debian
RUN usermod --login node --home /home/node --move-home drover && groupmod --new-name node drover
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY node_modules /stand-in/node_modules
COPY npm.sh /usr/local/bin/npm
CMD ["node"]
