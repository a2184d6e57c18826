import { useMediaQuery } from '@mantine/hooks'

/**
 * A picture is drawn for the screen that it stands on: one that is only made smaller has letters that nobody
 * reads.
 */
export const useIsNarrow = (): boolean =>
  useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false
