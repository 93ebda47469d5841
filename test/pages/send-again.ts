import type { Locator } from 'playwright-core';

/** Clicks on a button, and sends its form once more, as a second click does. @returns the status of the second answer */
export async function clickAndSendAgain(button: Locator): Promise<number> {
  const page = button.page();
  const isForm = page.waitForRequest((request) => request.method() === 'POST');
  await button.click();
  const form = await isForm;
  await page.waitForLoadState();
  const answer = await page.context().request.post(form.url(), {
    data: form.postData() ?? '',
    headers: { origin: new URL(form.url()).origin, 'content-type': 'application/x-www-form-urlencoded' },
    maxRedirects: 0,
  });
  return answer.status();
}
