// Colours in the editor. A copy of the text with its colours is behind the text, which is transparent.

/** A longer text stays plain: it is painted again at each key. */
const MOST = 100_000;
const STRING = /"(?:\\.|[^"\\\n])*"|'(?:[^'\\\n]|\\.|'')*'/.source;
const NUMBER = /(?<![\w.:/-])-?\d[\d_]*(?:\.\d+)*(?:[kKmMgG][bB]?|ms|[smhd%])?(?![\w.:/-])/.source;
const COMMENT = /(?<=^|\s)#.*$/.source;
const WORDS = (words) => `(?<![\\w./-])(?:${words.replaceAll(' ', '|')})(?![\\w./-])`;
const rule = (parts) =>
  new RegExp(
    Object.entries(parts)
      .map(([name, source]) => `(?<${name}>${source})`)
      .join('|'),
    'gm',
  );

/** c: comment, h: heading, k: name of an entry, s: string, v: variable, n: number or word of the language. */
const RULES = {
  yaml: rule({
    c: COMMENT,
    h: '^(?:---|\\.\\.\\.)$',
    k: `^[ \\t]*(?:- +)*(?:${STRING}|[^\\s#:'"{}[\\],&*!|>%@\`-][^#:\\n]*)(?=:(?:\\s|$))`,
    s: STRING,
    v: '(?<=\\s)[&*!][\\w./-]+|\\$\\{[^}\\n]*\\}',
    n: `${WORDS('true false null yes no on off')}|${NUMBER}`,
  }),
  json: rule({
    k: '"(?:\\\\.|[^"\\\\\\n])*"(?=\\s*:)',
    s: '"(?:\\\\.|[^"\\\\\\n])*"',
    n: `${WORDS('true false null')}|${NUMBER}`,
  }),
  shell: rule({
    c: COMMENT,
    s: STRING,
    v: '\\$\\{[^}\\n]*\\}|\\$[\\w@#?*!$-]|(?<=^\\s*(?:export |local |readonly )?)\\w+(?==)',
    k: WORDS(
      'if then else elif fi for in do done while until case esac function return exit set export local readonly FROM RUN COPY ADD CMD ENTRYPOINT ENV ARG WORKDIR USER EXPOSE VOLUME HEALTHCHECK',
    ),
    n: NUMBER,
  }),
  conf: rule({
    c: `^[ \\t]*;.*$|${COMMENT}`,
    h: '^[ \\t]*\\[[^\\]\\n]*\\]',
    k: '^[ \\t]*[A-Za-z_][\\w.-]*(?=[ \\t]*[=:]|[ \\t]+\\S|[ \\t]*\\{)',
    s: STRING,
    v: '\\$\\{[^}\\n]*\\}|\\$\\w+|%\\w\\b',
    n: `${WORDS('true false yes no on off')}|${NUMBER}`,
  }),
};
const ENDINGS = {
  yaml: 'yaml yml',
  json: 'json',
  shell: 'sh bash zsh profile bashrc dockerfile containerfile',
  conf: 'conf cfg ini toml env service timer socket mount target network cnf properties repo list hosts fstab crontab sshd_config ssh_config',
};

/** By the end of the file's name, or by its first line. */
function ruleOf(name, text) {
  const ending = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('.')) + 1).toLowerCase();
  const [language] = Object.entries(ENDINGS).find(([, endings]) => endings.split(' ').includes(ending)) ?? [];
  return RULES[language ?? (/^#!.*sh\b/.test(text) ? 'shell' : '')];
}

/** Elements, no markup: what the text says stays text. */
function painted(text, pattern) {
  const parts = document.createDocumentFragment();
  let at = 0;
  for (const { 0: found, index, groups } of text.matchAll(pattern)) {
    if (found === '') continue;
    const part = document.createElement('span');
    part.className = Object.keys(groups).find((name) => groups[name] !== undefined);
    part.textContent = found;
    parts.append(text.slice(at, index), part);
    at = index + found.length;
  }
  parts.append(`${text.slice(at)}\n`);
  return parts;
}

for (const form of document.querySelectorAll('form[data-editor]')) {
  const text = form.querySelector('textarea');
  const paint = document.createElement('pre');
  paint.className = 'paint';
  paint.setAttribute('aria-hidden', 'true');
  text.before(paint);
  const follow = () => paint.scrollTo(text.scrollLeft, text.scrollTop);
  const draw = () => {
    const name = form.elements.name?.value ?? form.elements.p?.value ?? '';
    const pattern = text.value.length > MOST ? undefined : ruleOf(name, text.value);
    text.parentElement.classList.toggle('painted', pattern !== undefined);
    paint.replaceChildren(pattern === undefined ? '' : painted(text.value, pattern));
    follow();
  };
  form.addEventListener('input', draw);
  text.addEventListener('scroll', follow);
  draw();
}
