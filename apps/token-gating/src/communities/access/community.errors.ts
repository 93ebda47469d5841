import { forbidden, notFound } from '@app/common';

export const communityNotFound = () => notFound('community_not_found', 'There is no such community.');

export const administratorsOnly = () =>
  forbidden('administrator_required', 'This is for administrators of the community.');

export const ownerOnly = () => forbidden('owner_required', 'This is for the owner of the community.');

export const attachedClientsOnly = () =>
  forbidden(
    'attached_client_required',
    'This is for client applications that are attached to the community.',
  );

export const userNotFound = () => notFound('user_not_found', 'There is no such user.');
