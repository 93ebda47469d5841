import { conflict, notFound } from '@app/common';

export const checkNotFound = () => notFound('check_not_found', 'There is no such check.');

export const checkNotFinished = () => conflict('check_result_required', 'The check has no result yet.');
