// Nanoseconds of Pinocchio's articulated-body algorithm on a tree that comes as text on standard input:
// the number of joints, then of each the index of its parent (0 is the ground), its kind, its place in the parent's
// frame, its axis, and mass, centre and inertia of its body in its own frame; then rates, and forces by joint
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>

#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>

using namespace pinocchio;

// only the joints of our mechanisms: with a variant of all joints it takes three times as long to compile
template <typename S, int O>
struct Joints {
    typedef S Scalar;
    static constexpr int Options = O;
    typedef boost::variant<JointModelFreeFlyerTpl<S, O>, JointModelSphericalTpl<S, O>, JointModelPrismaticUnalignedTpl<S, O>,
                           JointModelRevoluteUnalignedTpl<S, O>>
        JointModelVariant;
    typedef boost::variant<JointDataFreeFlyerTpl<S, O>, JointDataSphericalTpl<S, O>, JointDataPrismaticUnalignedTpl<S, O>,
                           JointDataRevoluteUnalignedTpl<S, O>>
        JointDataVariant;
};
typedef JointModelTpl<double, 0, Joints> AnyJoint;

static AnyJoint joint(const std::string &kind, const Eigen::Vector3d &axis) {
    if (kind == "free") return JointModelFreeFlyer();
    if (kind == "ball") return JointModelSpherical();
    if (kind == "pris") return JointModelPrismaticUnaligned(axis);
    return JointModelRevoluteUnaligned(axis);
}

int main() {
    ModelTpl<double, 0, Joints> model;
    model.gravity.setZero();
    int count;
    std::cin >> count;
    for (int k = 0; k < count; ++k) {
        int parent;
        std::string kind;
        Eigen::Vector3d at, axis, com;
        double mass;
        Eigen::Matrix3d inertia;
        std::cin >> parent >> kind;
        for (int i = 0; i < 3; ++i) std::cin >> at[i];
        for (int i = 0; i < 3; ++i) std::cin >> axis[i];
        std::cin >> mass;
        for (int i = 0; i < 3; ++i) std::cin >> com[i];
        for (int i = 0; i < 9; ++i) std::cin >> inertia(i / 3, i % 3);
        JointIndex id = model.addJoint(parent, joint(kind, axis), SE3(Eigen::Matrix3d::Identity(), at), std::to_string(k));
        model.appendBodyToJoint(id, Inertia(mass, com, inertia), SE3::Identity());
    }
    DataTpl<double, 0, Joints> data(model);
    Eigen::VectorXd q = neutral(model), v(model.nv), tau(model.nv);
    for (int i = 0; i < model.nv; ++i) std::cin >> v[i];
    for (int i = 0; i < model.nv; ++i) std::cin >> tau[i];
    q = integrate(model, q, 0.1 * v);
    double best[2] = {1e30, 1e30};
    for (int window = 0; window < 600; ++window) {
        for (int kind = 0; kind < 2; ++kind) {
            auto began = std::chrono::steady_clock::now();
            for (int i = 0; i < 100; ++i) {
                if (kind) aba(model, data, q, v, tau, Convention::LOCAL);
                else aba(model, data, q, v, tau, Convention::WORLD);
            }
            std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - began;
            best[kind] = std::min(best[kind], spent.count() / 100);
        }
    }
    std::printf("%d %.1f %.1f\n", model.nv, best[0], best[1]);
}
