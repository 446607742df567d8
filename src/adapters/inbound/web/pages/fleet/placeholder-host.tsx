import { Icon } from '../../components/icon.tsx';

/** Tells administrators which host addresses for agents have without a public URL. */
export function PlaceholderHost({
  publicUrl,
  origin,
}: {
  readonly publicUrl: string | null;
  /** How this browser reached the service. */
  readonly origin: string;
}) {
  if (publicUrl !== null) return null;
  return (
    <div class="banner care" data-placeholder-host>
      <Icon name="triangle-alert" />
      <div>
        <strong>Set the address of this service: agents get a placeholder</strong>
        <p>
          Without <code>SERVICE_PUBLIC_URL</code>, they use <code>{origin}</code>, the address in your
          browser. If they cannot reach it, set the variable and restart Drover.
        </p>
      </div>
      <button type="button" class="button quiet small" data-copy-text={`SERVICE_PUBLIC_URL=${origin}`} hidden>
        Copy <span class="mono">SERVICE_PUBLIC_URL=…</span>
      </button>
    </div>
  );
}
