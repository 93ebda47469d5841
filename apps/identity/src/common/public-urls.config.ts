import { createConfigClass, publicUrlsConfigSchema } from '@app/config';

export class PublicUrlsConfig extends createConfigClass(publicUrlsConfigSchema) {
  get authUrl(): string {
    return this.AUTH_URL ?? this.PUBLIC_URL;
  }
}
