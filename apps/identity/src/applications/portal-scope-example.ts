/** Documents examples of operations whose scope no client application can request. */
export const PORTAL_SCOPE_EXAMPLE = {
  status: 403,
  reason: 'only the portal may request the scope of this operation',
};
