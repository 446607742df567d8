/** Tells administrators that addresses which are shown do not lead here yet. */
export function PlaceholderHost({ publicUrl }: { readonly publicUrl: string | null }) {
  if (publicUrl !== null) return null;
  return (
    <p class="notice care" data-placeholder-host>
      <strong>SERVICE_PUBLIC_URL is not set.</strong> The host in addresses for agents and people is a
      placeholder. Set it to the address under which this service is reached, with the port where it is not
      the usual one, and start the service again.
    </p>
  );
}
