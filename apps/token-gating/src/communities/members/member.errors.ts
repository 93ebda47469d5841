import { notFound } from '@app/common';

export const memberNotFound = () => notFound('member_not_found', 'The community has no such member.');
