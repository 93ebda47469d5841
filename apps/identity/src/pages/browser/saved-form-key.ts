/** Where a tab keeps the form that was submitted last, until its answer is shown. */
export const SAVED_FORM_KEY = 'gatehouse.saved-form';
