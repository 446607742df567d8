interface SwitchProps {
  /** The path that `/enable` and `/disable` are below. */
  readonly action: string;
  readonly enabled: boolean;
  /** The object's name. */
  readonly about: string;
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Enables or disables something in a list at once. */
export const Switch = ({ action, enabled, about, fields = {} }: SwitchProps) => {
  const label = `${enabled ? 'Disable' : 'Enable'}: ${about}`;
  return (
    <form method="post" action={`${action}/${enabled ? 'disable' : 'enable'}`}>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={enabled ? 'switch on' : 'switch'} aria-label={label} title={label} />
    </form>
  );
};
