import { hostWarning } from '../../../../../application/access/client-snippets.ts';

/** Tells administrators which host addresses for agents have without a public URL. */
export function PlaceholderHost(address: { readonly publicUrl: string | null; readonly origin: string }) {
  const warning = hostWarning(address);
  return warning === null ? null : (
    <p class="notice" data-placeholder-host>
      {warning}
    </p>
  );
}
