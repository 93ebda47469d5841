import { createConfigClass, envOrigin, opaqueTokenConfigSchema } from '@app/config';

export const invitationConfigSchema = opaqueTokenConfigSchema.extend({
  /** Where clients reach the service: invitation links begin with it. */
  PUBLIC_URL: envOrigin,
});

export class InvitationConfig extends createConfigClass(invitationConfigSchema) {}
