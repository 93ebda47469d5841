import { createConfigClass, envOrigin, opaqueTokenConfigSchema } from '@app/config';

export const invitationConfigSchema = opaqueTokenConfigSchema.extend({
  /** The public origin of the service, with which invitation links begin. */
  PUBLIC_URL: envOrigin,
});

export class InvitationConfig extends createConfigClass(invitationConfigSchema) {}
