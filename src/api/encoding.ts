/** Content encodings: which ones are accepted, and decoding up to a size limit. */

import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { systemCode } from "../core/errors.ts";

/** More encodings on top of each other than any server uses. */
const mostLayers = 3;

export type Decoded = { readonly bytes: Buffer } | { readonly cut: "too_large" | "undecodable" };

/**
 * The plain bytes of a body, at most `limitBytes` of them; `encodings` is its `Content-Encoding`. What was
 * cut short decodes as far as it goes. deflate is read too: some servers send it unasked.
 */
export function decodeBody(body: Buffer, encodings: string | undefined, limitBytes: number): Decoded {
  const layers = (encodings ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (layers.length === 0 || body.length === 0) return { bytes: body };
  if (layers.length > mostLayers) return { cut: "undecodable" };
  let bytes = body;
  for (const layer of layers.reverse()) {
    try {
      const packed = bytes;
      bytes = decodeLayer(packed, layer, limitBytes, false);
      // Too little came to make anything of it: that is no empty answer.
      if (bytes.length === 0) decodeLayer(packed, layer, limitBytes, true);
    } catch (error) {
      return { cut: systemCode(error) === "ERR_BUFFER_TOO_LARGE" ? "too_large" : "undecodable" };
    }
  }
  return { bytes };
}

function decodeLayer(bytes: Buffer, encoding: string, maxOutputLength: number, mustEnd: boolean): Buffer {
  const zlib = { maxOutputLength, finishFlush: mustEnd ? constants.Z_FINISH : constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return gunzipSync(bytes, zlib);
    case "deflate": // with a header by the standard, without one from some servers
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, zlib) : inflateRawSync(bytes, zlib);
    case "br":
      return brotliDecompressSync(bytes, {
        maxOutputLength,
        finishFlush: mustEnd ? constants.BROTLI_OPERATION_FINISH : constants.BROTLI_OPERATION_FLUSH,
      });
    default:
      throw new Error(`unknown encoding ${encoding}`);
  }
}
