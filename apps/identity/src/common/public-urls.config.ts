import { createConfigClass, envOrigin } from '@app/config';
import { z } from 'zod';

export const publicUrlsConfigSchema = z.object({
  /** Where clients reach the service: issuer, audience and sign-in domain. Never a Host header. */
  PUBLIC_URL: envOrigin,
  /** Where users log in; the public URL unless said otherwise. */
  AUTH_URL: envOrigin.optional(),
});

export class PublicUrlsConfig extends createConfigClass(publicUrlsConfigSchema) {
  get authUrl(): string {
    return this.AUTH_URL ?? this.PUBLIC_URL;
  }
}
