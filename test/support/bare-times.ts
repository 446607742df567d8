const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)';
const TIME = new RegExp(
  [
    `\\b\\d{1,2} ${MONTH}\\b`,
    `\\b${MONTH} \\d{1,2}\\b`,
    '\\b\\d{4}-\\d\\d-\\d\\d\\b',
    '(?<![\\d:.])\\d\\d:\\d\\d(?::\\d\\d)?(?![\\d:.])',
  ].join('|'),
  'g',
);

/** Elements whose times the script converts, and what is not text for people. */
const CONVERTED = [
  /<time\b[^>]*>[^<]*<\/time>/g,
  /<(option|a|svg)\b[^>]*\bdata-times\b[^>]*>.*?<\/\1>/gs,
  /<head>.*?<\/head>/gs,
  /<script\b.*?<\/script>/gs,
];

/** Times of rules and forms, on the clock that they name. */
const OF_OTHER_ZONES = [
  /\b\d\d:\d\d \([A-Z]\w+(?:\/\w+)*\)/g,
  / value="[^"]*"/g,
  /<textarea\b.*?<\/textarea>/gs,
  // The rule of a schedule, whose time zone is in its tooltip, and the days that a patch policy names.
  /\b(?:every \w+|of every month) at (?:">)?(?:every \w+ at )?\d\d:\d\d/g,
  / until \d{4}-\d\d-\d\d/g,
  /PATTERN = REASON = \d{4}-\d\d-\d\d/g,
  /<dl class="week">.*?<\/dl>/gs,
  /0 3 \* \* 1-5 is 03:00/g,
  // What was sent to a receiver, byte by byte.
  /<pre\b[^>]*>\{.*?<\/pre>/gs,
];

/** Times and dates in the HTML of a page that readers would see in the service's time zone, each with its context. */
export function bareTimes(html: string): readonly string[] {
  const text = [...CONVERTED, ...OF_OTHER_ZONES].reduce(
    (rest, element) => rest.replaceAll(element, ''),
    html,
  );
  return [...text.matchAll(TIME)].map(({ index }) => text.slice(Math.max(0, index - 40), index + 40));
}
