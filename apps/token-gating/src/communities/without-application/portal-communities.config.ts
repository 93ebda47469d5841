import { createConfigClass, envSwitch } from '@app/config';
import { z } from 'zod';

const portalCommunitiesConfigSchema = z.object({
  PORTAL_COMMUNITIES: envSwitch
    .default(false)
    .describe(
      'Whether communities may have rules without an approved client application, within small limits, so that people create them in the portal.',
    ),
});

export class PortalCommunitiesConfig extends createConfigClass(portalCommunitiesConfigSchema) {}
