/** The table that it made is gone: the lists of children are read from the rows of beings. */
export const up = async (): Promise<void> => undefined
