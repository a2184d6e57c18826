/** The size limit of one message, over either transport. */
export const MESSAGE_BYTES_MAX = 1024 * 1024
