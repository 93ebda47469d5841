import { principalIssuerConfigSchema } from '@app/auth';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';

/** Settings of the client for account-kit's internal API. */
const accountKitClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ ACCOUNT_KIT_URL: true }).shape,
);

export class AccountKitClientConfig extends createConfigClass(accountKitClientConfigSchema) {}
