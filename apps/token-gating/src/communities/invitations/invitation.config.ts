import { createConfigClass, opaqueTokenConfigSchema, publicUrlsConfigSchema } from '@app/config';

const invitationConfigSchema = opaqueTokenConfigSchema.extend(
  publicUrlsConfigSchema.pick({ PUBLIC_URL: true }).shape,
);

export class InvitationConfig extends createConfigClass(invitationConfigSchema) {}
