/** Which threads are listed. */
export const THREAD_LISTS = ['all', 'open', 'others', 'over'] as const
export type ThreadList = (typeof THREAD_LISTS)[number]
