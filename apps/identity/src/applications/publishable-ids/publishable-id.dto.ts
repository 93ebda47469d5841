import { z } from 'zod';
import { applicationName, origins } from '../client-application-fields.js';
import { applicationParams } from '../credentials/credential.dto.js';
import type { PublishableId } from './publishable-ids.queries.js';

export const publishableIdParams = applicationParams.extend({
  id: z.string().min(1).max(64).meta({ example: 'id' }),
});
export type PublishableIdParams = z.output<typeof publishableIdParams>;

export const newPublishableId = z
  .strictObject({
    name: applicationName.optional().meta({ description: 'Shown to the owner' }),
    origins: origins
      .refine((all) => all.length > 0, 'must name at least one origin')
      .meta({
        description:
          'The origins of the pages, such as `https://shop.example`, compared byte for byte with the `Origin` header',
      }),
  })
  .meta({ id: 'NewPublishableId', example: { name: 'Shop', origins: ['https://shop.example'] } });
export type NewPublishableId = z.output<typeof newPublishableId>;

export const publishableId = z
  .object({
    id: z.string(),
    publishableId: z.string().meta({ description: 'For `X-API-Key`. It is no secret' }),
    name: z.string().optional(),
    origins: z.array(z.string()),
    createdTime: z.iso.datetime(),
  })
  .meta({ id: 'PublishableId' });

export const publishableIdList = z
  .object({ items: z.array(publishableId) })
  .meta({ id: 'PublishableIdList' });

export const toPublishableIdResponse = ({
  name,
  createdAt,
  ...stored
}: PublishableId): z.output<typeof publishableId> => ({
  ...stored,
  name: name ?? undefined,
  createdTime: createdAt.toISOString(),
});
