import { createConfigClass, envOrigin } from '@app/config';
import { z } from 'zod';

export const publicUrlsConfigSchema = z.object({
  /** Base URL for clients: issuer, audience and sign-in domain. Never derived from a Host header. */
  PUBLIC_URL: envOrigin,
  /** Base URL of the login pages; PUBLIC_URL by default. */
  AUTH_URL: envOrigin.optional(),
});

export class PublicUrlsConfig extends createConfigClass(publicUrlsConfigSchema) {
  get authUrl(): string {
    return this.AUTH_URL ?? this.PUBLIC_URL;
  }
}
