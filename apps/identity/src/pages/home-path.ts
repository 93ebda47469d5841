/** Where somebody goes who wanted nothing else. */
export const HOME = '/portal';
