// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Hostile: every call reverts; with the given reason, with nothing, or by an invalid instruction as old compilers did.
contract Reverting {
    enum Form { Reason, Nothing, Invalid }

    Form private immutable form;
    string private reason;

    constructor(Form form_, string memory reason_) {
        form = form_;
        reason = reason_;
    }

    fallback() external payable {
        if (form == Form.Reason) revert(reason);
        if (form == Form.Nothing) revert();
        assembly {
            invalid()
        }
    }
}
