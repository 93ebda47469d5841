/** The four security schemes, named as in the OpenAPI document. */
export const SECURITY_SCHEMES = ['apiKey', 'authenticatedEncryption', 'ethereum', 'serviceOAuth2'] as const;
export type SecurityScheme = (typeof SECURITY_SCHEMES)[number];
