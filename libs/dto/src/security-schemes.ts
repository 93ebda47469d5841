/** The four security schemes, by the names they have in the OpenAPI document. */
export const SECURITY_SCHEMES = ['apiKey', 'authenticatedEncryption', 'ethereum', 'serviceOAuth2'] as const;
export type SecurityScheme = (typeof SECURITY_SCHEMES)[number];
