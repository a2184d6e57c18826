import type { ExtensionVersionsView } from '@treeos/reality'

export const isAway = ({ current, workers }: Pick<ExtensionVersionsView, 'current' | 'workers'>): boolean =>
  current !== null && workers === 0

export const describeAway = ({ extension, current }: ExtensionVersionsView): string =>
  `no living worker has loaded ${extension} ${current}, which is current: moments that need it wait`
