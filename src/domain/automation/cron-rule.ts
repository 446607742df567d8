/** When something comes round: a cron expression of five fields, read on the clocks of a time zone. */
export interface CronRule {
  /** Minute, hour, day of the month, month, day of the week; or a name such as `@daily`. */
  readonly expression: string;
  /** An IANA name such as `Europe/Berlin`. */
  readonly timeZone: string;
}

export const cronText = (rule: CronRule): string => `${rule.expression} (${rule.timeZone})`;
