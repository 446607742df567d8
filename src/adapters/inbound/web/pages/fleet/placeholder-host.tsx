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
        <strong>Agents get a placeholder as the host of this service</strong>
        <p>
          It is {new URL(origin).host}, the host in your browser's address. If your agents do not reach it
          there, set <code>SERVICE_PUBLIC_URL</code> and restart Drover.
        </p>
      </div>
      <button type="button" class="button quiet small" data-copy-text={`SERVICE_PUBLIC_URL=${origin}`} hidden>
        Copy setting
      </button>
    </div>
  );
}
