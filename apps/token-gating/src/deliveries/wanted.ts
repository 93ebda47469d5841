/**
 * SQL: whether anybody still wants a callback of the check `c` at this URL. What nobody asked for is sent to client
 * applications for as long as they are attached, and want it there.
 */
export const isWanted = (url: string): string => `(c.subject IS NULL OR EXISTS (
    SELECT FROM token_gating.community_clients AS attached
    WHERE attached.community_id = c.subject ->> 'communityId' AND attached.client_id = c.client_id
      AND attached.callback_url = ${url}))`;
