import { pageQuery, queryBoolean } from '@app/dto';
import { z } from 'zod';

export const administratedCommunitiesQuery = z.object({
  reload: queryBoolean.optional().meta({ description: 'Recount the members of the communities on the page' }),
  ...pageQuery.shape,
});
export type AdministratedCommunitiesQuery = z.output<typeof administratedCommunitiesQuery>;
