/** The sign of Drover, as in its icon. */
export const Logo = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#4338ca" />
    <path
      d="M9 22V10h5.600c4.100 0 7 2.200 7 6s-2.900 6-7 6zm3.600-3.100h1.900c2.100 0 3.400-1 3.400-2.900s-1.300-2.900-3.400-2.900h-1.900z"
      fill="#fff"
    />
    <circle cx="25" cy="24.500" r="3.500" fill="#5eead4" />
  </svg>
);
