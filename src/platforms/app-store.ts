/** Whether an app's store address is Apple's; any other store has Android apps. */
export const isAppStore = (storeUrl = ''): boolean => /(^|\.)apple\.com$/.test(URL.parse(storeUrl)?.hostname ?? '');
