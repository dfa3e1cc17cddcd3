/** Loaded first by each Node.js under Wine, which refuses to set TCP keep-alive. */

const { Socket } = require("node:net");

Socket.prototype.setKeepAlive = function setKeepAlive() {
  return this;
};
