"""Covariance of estimates when all pairs share the deals.

An estimate β solves Σ u_d(β) = 0, u_d the score of deal d and I_d its information, M = (ΣI_d)⁻¹.
The plain sandwich M(Σ u_d u_dᵀ)M is too small with few deals; the bias-reduced one (CR2) replaces
u_d by (1 - I_d M)^(-1/2) u_d, and each contrast gets its own Satterthwaite degrees of freedom.
When every deal carries the same pairs this is exactly the t interval over deals with n - 1.
Source: Liang & Zeger 1986, Biometrika 73; Bell & McCaffrey 2002, Survey Methodology 28;
Pustejovsky & Tipton 2018, J. Business & Economic Statistics 36.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.stats.sample import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ClusteredCovariance:
    """Covariance of the parameters, and what is needed for degrees of freedom of a contrast."""

    covariance: FloatArray
    clusters: int
    _multiplicity: FloatArray
    _own: FloatArray  # pattern × p × p: contrast → sₖᵀsₖ
    _pull: FloatArray  # pattern × p × p: contrast → qₖ
    _bread: FloatArray

    def standard_errors(self, contrasts: FloatArray) -> FloatArray:
        variance = np.einsum("cp,pq,cq->c", contrasts, self.covariance, contrasts)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    def degrees_of_freedom(self, contrasts: FloatArray) -> FloatArray:
        """(ΣΩ_dd)²/ΣΩ_de², Ω_de = [d=e]·s_dᵀs_d - q_dᵀM q_e: the working model's residual forms."""
        weight = self._multiplicity
        out = np.empty(len(contrasts))
        for row, c in enumerate(contrasts):
            pull = self._pull @ c
            bent = pull @ self._bread
            leverage = np.sum(bent * pull, axis=1)
            diagonal = self._own @ c @ c - leverage
            if len(pull) <= len(c):  # both are the sum of all squares Ω_de²; one is smaller
                crossed = float(weight @ (bent @ pull.T) ** 2 @ weight)
            else:
                cross = (bent.T * weight) @ pull
                crossed = float(np.sum(cross * cross.T))
            squares = float(weight @ (diagonal**2 - leverage**2)) + crossed
            out[row] = float(weight @ diagonal) ** 2 / squares if squares > 0 else 0.0
        return np.minimum(out, self.clusters - 1)


def clustered_covariance(
    scores: FloatArray, information: FloatArray, pattern: IntArray, bread: FloatArray
) -> ClusteredCovariance:
    """CR2 covariance from the deals' scores (deal × p) and informations (pattern × p × p).

    `pattern` says which information each deal has: deals with the same pairs share it. `bread`
    is M, the inverse of the total information (including that of a prior, if any).
    """
    own_share = information @ bread
    alike = np.eye(len(bread)) / len(scores)
    if len(information) == 1 and np.allclose(own_share[0], alike, atol=1e-12):
        # Every deal has the same pairs: no roots of matrices are needed.
        slack = np.full((1, len(bread)), 1 - 1 / len(scores))
        adjust, full = (np.diag(_power(slack)[0] ** k)[None] for k in (1, 2))
    else:
        root = np.linalg.cholesky(bread)
        inverse_root = np.linalg.inv(root)
        values, vectors = np.linalg.eigh(root.T @ information @ root)
        half = vectors * _power(1 - values)[:, None, :] @ np.swapaxes(vectors, 1, 2)
        adjust = inverse_root.T @ half @ root.T
        full = inverse_root.T @ (half @ half) @ root.T
    if len(information) == 1:
        adjusted = scores @ adjust[0].T
    else:
        adjusted = np.einsum("dpq,dq->dp", adjust[pattern], scores)
    meat = adjusted.T @ adjusted
    return ClusteredCovariance(
        bread @ meat @ bread,
        len(scores),
        np.bincount(pattern, minlength=len(information)).astype(np.float64),
        bread @ (full @ information) @ bread,
        adjust @ information @ bread,
        bread,
    )


def _power(slack: FloatArray) -> FloatArray:
    """1/√slack; 0 where a deal alone determines a direction, which leaves no residual there."""
    return np.where(slack > 1e-9, 1 / np.sqrt(np.clip(slack, 1e-9, 1.0)), 0.0)
