/** Words that readers stumble over, and plain English instead. Terms of Drover are in docs/glossary.md. */
export const WORDS: readonly (readonly [word: RegExp, better: string])[] = [
  // one term for each thing
  [/\b(on|to) the page\b/i, 'the web UI'],
  [/\bdoors?\b/i, 'interface'],
  [/\ba way in\b|\bways in\b(?! which)/i, 'interface, access'],
  [/\b(un)?seal(s|ed|ing)?\b/i, 'encrypt; of the audit log: add to the chain'],
  [/\bsecond factors?\b/i, 'two-factor authentication'],
  [/\ba place (of|in) the chain\b/i, 'chain head'],
  // if, not where
  [
    /\bwhere (nobody|somebody|nothing|none|neither|(it|they|there|that|one|you|no \w+) (is|are|was|were|has|have|had|can|cannot|could|may|do|does|did|lacks?|knows?|fails?)( (no|not|none|missing|given|wrong|damaged|lost|possible|needed|known|there))\b)/i,
    'if',
  ],
  // nouns, not free relative clauses
  [/\bwhat (waits|needs (care|somebody))\b/i, 'pending updates, problems'],
  [/\bwhat (came|comes|becomes?|became|has become) of\b/i, 'result'],
  [/\bwhat it would do\b/i, 'plan, dry run'],
  [/\bhow far (it|they|a \w+) (has|have) come\b/i, 'progress'],
  // report, show, list
  [/\b(is|are|was|were|be|been|being) told\b/i, 'is notified, is reported'],
  [/\btold (of|by|about)\b/i, 'notified, reported'],
  [/\btells (of|nobody|somebody|how|what|that|which|whether|who|why)\b/i, 'reports, shows, lists'],
  [/\btell (of|nobody|somebody)\b/i, 'report, notify'],
  // archaic and rare verbs
  [/\banew\b/i, 'again, or recreate, reinstall, reboot'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\b[Bb](egins?|egan|egun|eginning)\b/, 'start'],
  [/\bceas(e|es|ed|ing)\b/i, 'stop'],
  [/\b(take|takes|took|taken|taking) over (one|an existing|it|them|what)\b/i, 'import'],
  [/\b(give|gives|gave|given|giving) (it |them |that |this |something |files )?back\b/i, 'restore, return'],
  [/\b(takes?|took|taken|taking) (it |them |something )?away\b/i, 'remove, delete'],
  [/\b(bring|brings|brought) along\b/i, 'include'],
  [/\bforg[eo]t(s|ten|ting)?\b/i, 'delete, remove; expires'],
  [/\bholds? for (every|all|each|any)\b/i, 'applies to'],
  [/\bstands? in (the|a|its|this|for)\b/i, 'is in, is listed in'],
  [/\b(put|puts|putting) (it |them |everything )?back\b/i, 'restore'],
  [/\blet(s|ting)? go\b/i, 'release, stop'],
  [/\bshall\b/i, 'must, will'],
  [/\b(thereby|therein|thereof|whereby|wherein|hence|lest|thence|hither)\b/i, 'plain words'],
  [/\bfor ever\b/i, 'forever'],
  [/\bgot onto\b/i, 'connected to'],
  [/\bunder way\b/i, 'running, in progress'],
  // create
  [
    /\bma(ke|kes|de) (a|an|another|the) (new )?(token|window|schedule|account|user|webhook|repository|template|batch)\b/i,
    'create',
  ],
  // you, users, a reviewer
  [/\bwho(m|so)?ever\b/i, 'anyone who, or the role'],
  [/\b(some|any|no|every)body\b/i, 'you, users, a reviewer, someone'],
  [
    /(^|[.;:(] |\b(if|when|where|before|after|while|as|what|how|because) )one (may|can|must|should|has to)\b/i,
    'you can',
  ],
  [/\bone['’]s own\b/i, 'your own'],
  // numbers
  [/\bso (many|much)\b(?! (as|that))/i, 'a number of, N'],
  [/\w\(s\)/, 'a real plural'],
  // plain negation
  [/\bno good\b/i, 'invalid'],
  [/\b(does|will|do) not do\b/i, 'is not supported'],
  [/\bany more\b/i, 'no longer'],
  [/\b(is|are|was|were|will|can|may|in|up|it|them|us) no more(?=[.,;:)]|$)/i, 'no longer'],
  [/\bopens nothing\b/i, 'expires, is void'],
  // previous, different, separate
  [/\b[Ff]ormer\b/, 'previous'],
  [/\banother \w+ than\b/i, 'a different … from'],
  [
    /\b(an?|the|no|some) [\w-]+ of (its|their|one['’]s|our) own\b(?! (jobs|repository))/i,
    'its own, separate',
  ],
  [/\bof (yours|ours)\b/i, 'your, Drover’s'],
  [/\bby (itself|themselves)\b/i, 'automatically, or separately'],
  // subject first, active voice
  [/\bwith (commas|blanks|newlines) between\b/i, 'comma-separated'],
  [/\b(is|are|was|were) looked at\b/i, 'Drover checks'],
  [/\bthe service believes\b/i, 'trusts'],
  [/\bnot (set up|installed) to the end\b/i, 'incomplete'],
  [/\bis begun\b/i, 'starts'],
  // headings that are riddles
  [
    /^#+ (Is all well|What is wrong|Outside, and encrypted|Whom it trusts|Who sent it|Tell us|What falls out|Where it may go|What is forgotten|What was tried)\b/im,
    'the subject',
  ],
];

/** Facts of the implementation, which guides and runbooks do not need. */
export const INTERNALS = /\b(lanes?|fences?|wsrep_sync_wait|one transaction)\b/i;

/** The field's terms, each of which readers look for. */
export const STANDARD_TERMS = [
  'web UI',
  'dashboard',
  'sign in',
  'control plane',
  'prerequisites',
  'quick start',
  'troubleshoot',
  'rollback',
  'data retention',
  'health check',
  'two-factor authentication',
  'recovery codes',
  'time zone',
  'comma-separated',
  'dry run',
  'allowlist',
  'read-only',
  'zero-downtime',
  'tamper-evident',
] as const;

interface Exception {
  readonly path: RegExp;
  readonly text: RegExp;
  readonly why: string;
}

/** Where such a word is right. */
export const EXCEPTIONS: readonly Exception[] = [
  { path: /^test\/docs\/words\./, text: /./, why: 'the list and its examples' },
  { path: /dump-scripts\.ts$/, text: /former/, why: 'a file name in a shell script' },
  { path: /\/detached\/scripts\.ts$/, text: /forgotten/, why: 'a file name in a shell script' },
  { path: /\/(web|e2e)\//, text: /\b(on|to) the page\b/, why: 'a page of the web UI, not the web UI' },
  { path: /sql-server-store\.ts$/, text: /on the page/, why: 'a page of a list' },
  { path: /^bench\/(lib\/bars|stdio)\.ts$/, text: /under way/, why: 'a label of kept results' },
  { path: /hostile-output\.ts$/, text: /begin/, why: 'the protocol of a script' },
  { path: /^scripts\/lib\/releases\.mjs$/, text: /former/, why: 'the name of a kept release' },
  { path: /sign-in-pages\.tsx$/, text: /Forgot/, why: 'the usual label of this link' },
];
