/* The one function of Windows' bcryptprimitives.dll, which Wine 8 does not have and Go's and Rust's programs need. */

#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T size) {
  while (size > 0) {
    ULONG part = size < 0x10000000 ? (ULONG)size : 0x10000000;
    if (!SystemFunction036(bytes, part)) return FALSE;
    bytes += part;
    size -= part;
  }
  return TRUE;
}
