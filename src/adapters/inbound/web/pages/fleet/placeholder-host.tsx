/** Tells administrators which address Drover shows, and what it cannot know without its public URL. */
export function PlaceholderHost({ publicUrl }: { readonly publicUrl: string | null }) {
  if (publicUrl !== null) return null;
  return (
    <p class="notice care" data-placeholder-host>
      <strong>SERVICE_PUBLIC_URL is not set.</strong> Addresses for agents have the host that your browser
      uses. If others reach this service by another host, set the variable to its public URL, with the port if
      it is not the default, and restart the service.
    </p>
  );
}
