/** Tells administrators that addresses which are shown do not lead here yet. */
export function PlaceholderHost({ publicUrl }: { readonly publicUrl: string | null }) {
  if (publicUrl !== null) return null;
  return (
    <p class="notice care" data-placeholder-host>
      <strong>SERVICE_PUBLIC_URL is not set.</strong> Addresses for agents and users contain a placeholder
      host. Set the variable to the public address of this service, with the port if it is not the default,
      and restart the service.
    </p>
  );
}
